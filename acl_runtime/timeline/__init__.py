"""A picture of a trace: rows for host threads and streams, arrows from launch to run, memory, findings.

read       the calls, tasks and findings in the events of a trace
axis       the x coordinate of a time: calls take no time, so each gets a column
bars       the bars of a row; bars that are too narrow to see are merged
geometry   rows, arrows, memory curves and marks with their coordinates
draw       the SVG
page       the HTML page around it, which also has everything as text
totals     sums over tasks, calls and memory, and how two traces differ
write      writes a file of either kind
"""
