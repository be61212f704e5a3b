"""The behaviour suite: triples of sentences, and rewritings that hardly change a meaning.

After CheckList: Ribeiro et al. 2020. Beyond Accuracy: Behavioral Testing of NLP Models with
CheckList. ACL, pages 4902-4912.
"""
