import * as z from 'zod'
import { Problem } from '../../core/errors.ts'
import { defineTool } from '../tool.ts'
import { commandOutput } from './command-output.ts'

const WordSchema = z.string().max(8_192)

export const runCommand = defineTool({
  name: 'run_command',
  description:
    'Run one program in the workspace and wait for its end. No shell: no pipes, redirections, variables or globs; each ' +
    'argument is one entry of args. Whatever it leaves running is stopped.',
  input: z.object({ command: z.string().min(1).max(1_024), args: z.array(WordSchema).max(256).default([]) }),
  risk: 'execute',
  words: ({ command, args }) => [command, ...args],
  subject: ({ command, args }) => [command, ...args].join(' '),
  async run({ command, args }, { workspace, signal }) {
    if (/\s/.test(command))
      throw new Problem(
        'invalid',
        'command_refused',
        'command is the program alone; its arguments go into args.',
      )
    if (command === 'git') throw new Problem('invalid', 'command_refused', 'Use the git tool for git.')
    return commandOutput(await workspace.run(command, args, signal))
  },
})
