import { shellWord } from '../components/shell-word.ts'
import { withoutWorkspace } from '../components/workspace-path.ts'
import { type Call, isStep, type Run } from './run.ts'

/** Calls that run a command, where they have no kind: of the built-in agent, older runs, Codex and Claude Code. */
const NAMES: ReadonlySet<string> = new Set(['run_command', 'execute', 'command_execution', 'Bash'])

export type Command = { readonly line: string; readonly call: Call }

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

const SHELL = /^(?:\S*\/)?(?:ba|da|z)?sh$/

/** The name alone does not tell: Codex reads files by commands, too. */
const isCommand = ({ name, toolKind }: Call): boolean =>
  toolKind === undefined ? NAMES.has(name) : toolKind === 'execute'

/** A command as it is typed; that of a shell is its script. */
const lineOf = ({ arguments: given, title }: Call): string => {
  const { command, args } = Object(given) as Readonly<Record<string, unknown>>
  if (typeof command === 'string') return [command, ...(isWords(args) ? args.map(shellWord) : [])].join(' ')
  if (!isWords(command) || command.length === 0) return title
  const [program = '', option = '', script] = command
  if (script !== undefined && SHELL.test(program) && /^-\w*c$/.test(option)) return script
  return command.map(shellWord).join(' ')
}

/** `Bash` of Claude Code returns at once from a command that it leaves running. */
const isLeftRunning = ({ arguments: given }: Call): boolean =>
  (Object(given) as { run_in_background?: unknown }).run_in_background === true

/** The decisions after which a call is made; without one the agent made it itself. */
const MADE_AFTER: ReadonlySet<string | undefined> = new Set([undefined, 'allowed', 'approved'])

/** Claude Code names the calls that it was denied in its result, by their titles. */
const isRefused = ({ state, decision, title }: Call, denied: unknown): boolean =>
  state === 'error' &&
  (!MADE_AFTER.has(decision) ||
    (Array.isArray(denied) &&
      denied.some((one) => typeof one === 'string' && withoutWorkspace(one) === title)))

const hasEnded = ({ state }: Call): boolean => state === 'success' || state === 'error'

/**
 * The commands that the last attempt ran, each with its latest result, the latest command first. One that was started again
 * and has not ended is left out. `denied`: what the result of the run says of denied calls, which may be anything.
 */
export const lastCommands = ({ entries }: Run, denied?: unknown): readonly Command[] => {
  // Each attempt after the first begins with a note.
  const begin = entries.findLastIndex((entry) => !isStep(entry) && entry.tone === 'plain') + 1
  const calls = entries
    .slice(begin)
    .filter(isStep)
    .flatMap(({ parts }) => parts.filter((part) => part.kind === 'call'))
    .filter((call) => isCommand(call) && !isRefused(call, denied))
  const commands = new Map<string, Command>()
  for (const call of calls) {
    const line = withoutWorkspace(lineOf(call))
    commands.delete(line)
    if (hasEnded(call) && !isLeftRunning(call)) commands.set(line, { line, call })
  }
  return [...commands.values()].reverse()
}
