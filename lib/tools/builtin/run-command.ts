import * as z from 'zod'
import { cutText } from '../../core/cut-text.ts'
import { Problem } from '../../core/errors.ts'
import type { CommandResult } from '../../ports/workspace.ts'
import { defineTool, type ToolOutput } from '../tool.ts'

const part = (label: string, text: string) => (text === '' ? [] : [`${label}:`, text.trimEnd()])

const ending = ({ exitCode, timedOut, exceeded }: CommandResult): string => {
  if (exceeded) return `Stopped: ${exceeded.message}.`
  if (timedOut) return 'Stopped: the command took too long.'
  return exitCode === null ? 'Ended by a signal.' : `Exit code ${exitCode}.`
}

/** Longer than any form of a secret. */
const EDGE = 2_048

/** Output cut to its last whole line: half a secret at the end would not be recognised. The longer stream was cut. */
const wholeLines = (text: string, { truncated, stdout, stderr }: CommandResult): string => {
  if (!truncated || text.length < Math.max(stdout.length, stderr.length)) return text
  const end = text.lastIndexOf('\n')
  return cutText(text, end === -1 ? Math.max(0, text.length - EDGE) : end)
}

/** The result of a command for the model; any exit code except 0 is a failure. */
export const commandOutput = (result: CommandResult): ToolOutput => ({
  content: [
    ending(result),
    ...part('stdout', wholeLines(result.stdout, result)),
    ...part('stderr', wholeLines(result.stderr, result)),
    ...(result.truncated ? ['[output cut]'] : []),
  ].join('\n'),
  failed: result.exitCode !== 0,
})

const refused = (message: string) => new Problem('invalid', 'command_refused', message)

const refuseCommand = (command: string): void => {
  if (/\s/.test(command)) throw refused('command is the program alone; its arguments go into args.')
  if (command === 'git') throw refused('Use the git tool for git.')
}

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
  refuse: ({ command }) => refuseCommand(command),
  async run({ command, args }, { workspace, signal }) {
    refuseCommand(command)
    return commandOutput(await workspace.run(command, args, signal))
  },
})
