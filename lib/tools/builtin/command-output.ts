import type { CommandResult } from '../../ports/command.ts'
import type { ToolOutput } from '../tool.ts'

const part = (label: string, text: string) => (text === '' ? [] : [`${label}:`, text.trimEnd()])

const ending = ({ exitCode, timedOut }: CommandResult): string => {
  if (timedOut) return 'Stopped: the command took too long.'
  return exitCode === null ? 'Ended by a signal.' : `Exit code ${exitCode}.`
}

/** A finished command as the model reads it; anything but exit code 0 counts as a failure. */
export const commandOutput = (result: CommandResult): ToolOutput => ({
  content: [
    ending(result),
    ...part('stdout', result.stdout),
    ...part('stderr', result.stderr),
    ...(result.truncated ? ['[output cut]'] : []),
  ].join('\n'),
  failed: result.exitCode !== 0,
})
