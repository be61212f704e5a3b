"""Translation services on the network.

``engines/`` holds one file per service; the other files are what all of them share:
:mod:`.service` and :mod:`.http` (how a service is called), :mod:`.limits` (rate, retries and
budget), :mod:`.splitting` (long texts), :mod:`.faults` (what can go wrong).
"""
