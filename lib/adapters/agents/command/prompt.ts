import type { Workspace } from '../../../ports/workspace.ts'
import { agentFailure } from '../program/failures.ts'

const PLACES = /\{prompt\}|\{promptFile\}/g
/** The longest argument of Linux (execve(2), MAX_ARG_STRLEN), in bytes with its end. */
const LONGEST_ARGUMENT = 131_072

/**
 * Arguments with the prompt in the place of `{prompt}`, and the path of a file with it in that of `{promptFile}`. Throws
 * `agent_prompt_too_long` where it is longer than an argument may be.
 */
export const withPrompt = async (
  args: readonly string[],
  prompt: string,
  workspace: Pick<Workspace, 'writeTemporary'>,
): Promise<string[]> => {
  const file = args.some((arg) => arg.includes('{promptFile}'))
    ? await workspace.writeTemporary('prompt.md', `${prompt}\n`)
    : ''
  // An argument has no zero bytes, and one that begins with a hyphen would be an option of the program.
  const text = prompt.replaceAll('\0', '').replace(/^-/, ' -')
  const filled = args.map((arg) => arg.replaceAll(PLACES, (place) => (place === '{prompt}' ? text : file)))
  if (filled.some((arg) => Buffer.byteLength(arg) >= LONGEST_ARGUMENT)) {
    const message = 'The prompt is too long for a command-line argument. Use {promptFile} in COMMAND_AGENTS'
    throw agentFailure('agent_prompt_too_long', message, false)
  }
  return filled
}
