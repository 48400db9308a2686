"""A picture of a trace: rows for host threads and streams, arrows from launch to run, memory, findings.

read     the events of a trace as calls, tasks, findings
axis     where a time stands: calls take no time, and each gets a column of its own
bars     which bars a row has; what is too narrow to see becomes one bar
layout   rows, arrows, memory curves and marks with their coordinates
draw     the SVG
page     the HTML page around it, with everything as text
write    a file of either kind
"""
