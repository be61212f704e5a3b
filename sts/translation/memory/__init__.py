"""The translation memory: no text is sent to a provider twice.

- :class:`.CachedTranslator`: a provider with memories in front of it.
- :class:`.TranslationMemory`: one file of translations, to which many processes may append.
- :mod:`.tmx`: import of other tools' translations.
"""
