/** Languages of the highlighter by the extension of a file, where it is not the name of the language. */
const byExtension: Readonly<Record<string, string>> = {
  bash: 'bash',
  sh: 'bash',
  zsh: 'bash',
  c: 'c',
  h: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cxx: 'cpp',
  hh: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  scss: 'css',
  go: 'go',
  ini: 'ini',
  toml: 'ini',
  java: 'java',
  cjs: 'javascript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  json: 'json',
  kt: 'kotlin',
  kts: 'kotlin',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sql: 'sql',
  swift: 'swift',
  cts: 'typescript',
  mts: 'typescript',
  ts: 'typescript',
  tsx: 'typescript',
  html: 'xml',
  svg: 'xml',
  vue: 'xml',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
}

/** The language of a file by its name; undefined for one that is not highlighted. */
export const fileLanguage = (path: string): string | undefined => {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  if (name === 'dockerfile' || name.startsWith('dockerfile.')) return 'dockerfile'
  const extension = name.slice(name.lastIndexOf('.') + 1)
  return name.includes('.') && Object.hasOwn(byExtension, extension) ? byExtension[extension] : undefined
}
