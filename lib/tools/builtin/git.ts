import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { secretSegment } from '../../core/secret-path.ts'
import { defineTool } from '../tool.ts'
import { commandOutput } from './run-command.ts'

/** What git may do for a model, and the options each subcommand is given besides. Others are refused. */
const gitCommands: Readonly<Record<string, readonly string[]>> = {
  add: [],
  blame: ['--no-textconv'],
  branch: [],
  checkout: [],
  'cherry-pick': [],
  commit: ['--no-verify'],
  describe: [],
  diff: ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'],
  log: ['--no-ext-diff', '--no-textconv', '--no-show-signature'],
  'ls-files': [],
  merge: ['--no-verify'],
  'merge-base': [],
  mv: [],
  reset: [],
  restore: [],
  'rev-parse': [],
  revert: [],
  rm: [],
  shortlog: [],
  show: ['--no-ext-diff', '--no-textconv', '--no-show-signature'],
  stash: [],
  status: ['--ignore-submodules=all'],
  switch: [],
  tag: [],
}

// Options that run a program, read or write beside the repository, sign with a program of the settings, or dress up a
// diff so that its headers cannot be recognised any more.
const refusedOptions = [
  '--color',
  '--color-moved',
  '--color-words',
  '--config',
  '--config-env',
  '--exec',
  '--exec-path',
  '--ext-diff',
  '--git-dir',
  '--gpg-sign',
  '--line-prefix',
  '--local-user',
  '--no-index',
  '--open-files-in-pager',
  '--output',
  '--output-directory',
  '--pathspec-from-file',
  '--receive-pack',
  '--show-signature',
  '--sign',
  '--strategy',
  '--super-prefix',
  '--template',
  '--textconv',
  '--upload-pack',
  '--verify-signatures',
  '--work-tree',
]

// Git takes any unambiguous beginning of an option for the option.
const refusedOption = (arg: string): boolean => {
  const name = arg.split('=', 1)[0] ?? arg
  return name.startsWith('--') && name.length > 2 && refusedOptions.some((option) => option.startsWith(name))
}

const shortRefused: Readonly<Record<string, readonly string[]>> = {
  commit: ['-S'],
  merge: ['-S', '-s'],
  revert: ['-S', '-s'],
  'cherry-pick': ['-S'],
  tag: ['-s', '-u', '-v'],
}

const refusedShort = (subcommand: string, arg: string): boolean =>
  (shortRefused[subcommand] ?? []).some((option) => arg.startsWith(option))

/** Why git may not be called like this, or undefined. */
const gitRefusal = (args: readonly string[]): string | undefined => {
  const [subcommand = '', ...rest] = args
  if (!Object.hasOwn(gitCommands, subcommand))
    return `git ${subcommand} is not available; the first argument is one of ${Object.keys(gitCommands).join(', ')}.`
  const transport = args.find((arg) => /^[a-z0-9+.-]+::/i.test(arg))
  if (transport) return 'Remote helpers (name::address) are not available.'
  const option = rest.find((arg) => refusedOption(arg) || refusedShort(subcommand, arg))
  return option && `The option ${option.split('=', 1)[0]} is not available.`
}

/** The arguments with the subcommand's own safe options in front of the caller's. */
const hardened = (args: readonly string[]): string[] => {
  const [subcommand = '', ...rest] = args
  return [subcommand, ...(gitCommands[subcommand] ?? []), ...rest]
}

// `--graph` draws in front of both; a changed line starts with `+` or `-` and is neither.
const header = /^[|\\/*_ ]*diff --(?:git|cc|combined) /
const commit = /^(?:[|\\/_ ]*\* )?commit [0-9a-f]{7}/

const isSecretHeader = (line: string) =>
  line.split(/["\s]+/).some((name) => secretSegment(name) !== undefined)

/** A diff without the sections of credential files: their names stay, their lines go. */
const withoutSecrets = (diff: string): string => {
  let hidden = false
  const lines = diff.split('\n').flatMap((line) => {
    if (commit.test(line)) hidden = false
    if (!header.test(line)) return hidden ? [] : [line]
    hidden = isSecretHeader(line)
    return hidden ? [line, '[not shown: may hold credentials]'] : [line]
  })
  return lines.join('\n')
}

export const git = defineTool({
  name: 'git',
  description:
    'Run git in the workspace, for example ["status", "--short"]. Local work only: nothing is fetched or pushed.',
  input: z.object({ args: z.array(z.string().max(8_192)).min(1).max(256) }),
  risk: 'execute',
  words: ({ args }) => args,
  subject: ({ args }) => args.join(' '),
  async run({ args }, { workspace, signal }) {
    const refusal = gitRefusal(args)
    if (refusal) throw new Problem('invalid', 'command_refused', refusal)
    const result = await workspace.git(hardened(args), signal)
    return commandOutput({ ...result, stdout: withoutSecrets(result.stdout) })
  },
})
