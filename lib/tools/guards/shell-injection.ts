import { firstRefusal, type Guard, quoted } from './guard.ts'

const metacharacters = [';', '&', '|', '`', '$', '(', ')', '<', '>', '\\', '\n', '\r', '\0']
const shells = [
  'sh',
  'bash',
  'dash',
  'zsh',
  'ksh',
  'ash',
  'fish',
  'csh',
  'tcsh',
  'busybox',
  'cmd',
  'powershell',
  'pwsh',
]

const nameOf = (word: string) => word.slice(word.lastIndexOf('/') + 1).replace(/\.exe$/i, '')

// `sh -c text` runs a line of shell however harmless its characters; anywhere, for `env sh -c` does the same.
const runsShellText = (words: readonly string[]): boolean => {
  const shell = words.findIndex((word) => shells.includes(nameOf(word).toLowerCase()))
  return shell >= 0 && words.slice(shell + 1).some((word) => /^(-[a-z]*c[a-z]*|\/c|-command)$/i.test(word))
}

/** Refuses shell metacharacters in the words of a command, and shells that are handed a line. */
export const shellInjection: Guard = {
  name: 'shell-injection',
  refuses: ({ words }) => {
    if (runsShellText(words))
      return 'A shell with -c is not run. Call the program itself, its arguments as a list.'
    return firstRefusal(words, (word) => {
      const found = metacharacters.find((character) => word.includes(character))
      return (
        found &&
        `${quoted(word)} holds the shell metacharacter ${JSON.stringify(found)}. No shell is used: give each argument ` +
          'plainly, run one command per call, and put longer text or code into a file first.'
      )
    })
  },
}
