import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import csharp from 'highlight.js/lib/languages/csharp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import kotlin from 'highlight.js/lib/languages/kotlin'
import php from 'highlight.js/lib/languages/php'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import swift from 'highlight.js/lib/languages/swift'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'
import { createLowlight } from 'lowlight'

export const languages = createLowlight({
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  php,
  python,
  ruby,
  rust,
  sql,
  swift,
  typescript,
  xml,
  yaml,
})

export type CodeNode = ReturnType<typeof languages.highlight>['children'][number]

const NAME = 'text-code-name'
const KEYWORD = 'text-code-keyword'
const STRING = 'text-code-string'
const LITERAL = 'text-code-literal'

/** Colours by highlight.js class. Other classes keep the colour of the text. */
const colours: Readonly<Record<string, string>> = {
  'hljs-keyword': KEYWORD,
  'hljs-built_in': KEYWORD,
  'hljs-selector-tag': KEYWORD,
  'hljs-meta': KEYWORD,
  'hljs-string': STRING,
  'hljs-regexp': STRING,
  'hljs-addition': 'text-completed',
  'hljs-number': LITERAL,
  'hljs-literal': LITERAL,
  'hljs-symbol': LITERAL,
  'hljs-variable': LITERAL,
  'hljs-title': NAME,
  'hljs-attr': NAME,
  'hljs-attribute': NAME,
  'hljs-name': NAME,
  'hljs-section': NAME,
  'hljs-comment': 'text-muted-foreground',
  'hljs-deletion': 'text-failed',
}

/** The class of the colour of a highlighted node. */
export const colourClass = (names: unknown) =>
  Array.isArray(names) ? names.map((name) => colours[String(name)]).find(Boolean) : undefined
