"""Reports about runs and submissions: an HTML page, rankings, and explanations of scores.

``semaniacs report`` writes the page: :mod:`.findings` collects its content, :mod:`.page` lays it
out. :mod:`.evaluation` formats a ranking of submissions, and :mod:`.explanation` says which features
moved the score of a pair; :mod:`.decisive_words` finds the words that it depends on.
"""
