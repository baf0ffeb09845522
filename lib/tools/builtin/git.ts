import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { secretSegment } from '../../core/secret-path.ts'
import { defineTool } from '../tool.ts'
import { commandOutput } from './command-output.ts'
import { gitRefusal, hardened } from './git-rules.ts'

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
