"""A web page and a JSON API over the scorers and encoders: ``semaniacs serve``.

What listens is in :mod:`.server`, what answers in :mod:`.application`. Both need FastAPI and
uvicorn: ``pip install 'semaniacs[serve]'``.
"""
