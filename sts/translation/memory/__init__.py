"""The translation memory: no text is sent to a provider twice.

- :class:`.CachedTranslator`: a provider with memories in front of it.
- :class:`.TranslationMemory`: one file of translations, to which many processes may append.
- :mod:`.exchange`: export and import as TMX or TSV; :mod:`.manage`: the same for the command line.
"""
