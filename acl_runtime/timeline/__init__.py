"""A picture of a trace: rows for host threads and streams, arrows from launch to run, memory, findings.

contents the calls, tasks, findings and marks of a trace, and the part of a trace between two times read reads the
contents from the events of a trace axis the x coordinate of a time: calls take no time, so each gets a column bars the
bars of a row; bars that are too narrow to see are merged names the names of calls, slanted above their bars shapes the
parts of a picture geometry the coordinates of rows, memory curves and marks arrows the arrows from launches to runs,
and from tasks to the waits for them draw the SVG; items: the elements of its rows; legend: its colours; words: its
title and description page the HTML page around the SVG, with all contents as text totals sums over tasks, calls and
memory ranks the traces of several ranks as one compare how two traces differ write writes the SVG or the page to a file
"""
