import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { secretSegment } from '../../core/secret-path.ts'
import { defineTool } from '../tool.ts'
import { commandOutput } from './run-command.ts'

/** The subcommands of git that a model may use, and the options that each one gets. Others are refused. */
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

// Options that run a program, read or write outside of the repository, sign with a program from the settings, or decorate
// a diff so that its headers are no longer recognisable.
const refusedOptions =
  `--color --color-moved --color-words --config --config-env --exec --exec-path --ext-diff --git-dir
  --gpg-sign --line-prefix --local-user --no-index --open-files-in-pager --output --output-directory
  --pathspec-from-file --receive-pack --show-signature --sign --strategy --super-prefix --template
  --textconv --upload-pack --verify-signatures --work-tree`.split(/\s+/)

// Git accepts any unambiguous beginning of an option's name.
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

/** The reason why git may not be called with these arguments, or undefined. */
const gitRefusal = (args: readonly string[]): string | undefined => {
  const [subcommand = '', ...rest] = args
  if (!Object.hasOwn(gitCommands, subcommand))
    return `git ${subcommand} is not available; the first argument is one of ${Object.keys(gitCommands).join(', ')}.`
  const transport = args.find((arg) => /^[a-z0-9+.-]+::/i.test(arg))
  if (transport) return 'Remote helpers (name::address) are not available.'
  const option = rest.find(
    (arg) => refusedOption(arg) || shortRefused[subcommand]?.some((short) => arg.startsWith(short)),
  )
  return option && `The option ${option.split('=', 1)[0]} is not available.`
}

const refuseGit = (args: readonly string[]): void => {
  const refusal = gitRefusal(args)
  if (refusal) throw new Problem('invalid', 'command_refused', refusal)
}

/** The arguments, with the safe options of the subcommand before the caller's. */
const hardenedArguments = ([subcommand = '', ...rest]: readonly string[]): string[] => [
  subcommand,
  ...(gitCommands[subcommand] ?? []),
  ...rest,
]

// `--graph` draws before a header; a changed line starts with `+` or `-`, so it is no header.
const header = /^[|\\/*_ ]*diff --(?:git|cc|combined) /
const commit = /^(?:[|\\/_ ]*\* )?commit [0-9a-f]{7}/

const isSecretHeader = (line: string) =>
  line.split(/["\s]+/).some((name) => secretSegment(name) !== undefined)

/** A diff without the lines of credential files; their names stay. */
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
  refuse: ({ args }) => refuseGit(args),
  async run({ args }, { workspace, signal }) {
    refuseGit(args)
    const result = await workspace.git(hardenedArguments(args), signal)
    return commandOutput({ ...result, stdout: withoutSecrets(result.stdout) })
  },
})
