import { withoutWorkspace } from '../components/workspace-path.ts'
import { type Call, isStep, type Run } from './run.ts'

/** Calls that run a command: of the built-in agent, the Agent Client Protocol, Codex and Claude Code. */
const NAMES: ReadonlySet<string> = new Set(['run_command', 'execute', 'command_execution', 'Bash'])

export type Command = { readonly line: string; readonly call: Call }

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === 'string')

const SHELL = /^(?:\S*\/)?(?:ba|da|z)?sh$/

/** A command as it is typed; that of a shell is its script. */
const lineOf = ({ arguments: given, title }: Call): string => {
  const { command, args } = Object(given) as Readonly<Record<string, unknown>>
  const words = isWords(command) ? command : typeof command === 'string' ? [command] : []
  if (words.length === 0) return title
  const [program = '', option = '', script] = words
  if (script !== undefined && SHELL.test(program) && /^-\w*c$/.test(option)) return script
  return [...words, ...(isWords(args) ? args : [])].join(' ')
}

/** Without a decision the agent made the call itself. */
const RUN_AFTER: ReadonlySet<string | undefined> = new Set([undefined, 'allowed', 'approved'])

const wasRun = ({ name, state, decision }: Call): boolean =>
  NAMES.has(name) && (state === 'success' || (state === 'error' && RUN_AFTER.has(decision)))

/** To an agent that is a program, a call that it was denied is one that failed: its result names these. */
const isIn = (denied: unknown, { state, title }: Call): boolean =>
  state === 'error' &&
  Array.isArray(denied) &&
  denied.some((one) => typeof one === 'string' && withoutWorkspace(one).endsWith(title))

/**
 * The commands that the last attempt ran to their end, each as it ended the last time, the latest first. `denied`: what the
 * result of the run says of denied calls, which comes from the agent and may be anything.
 */
export const lastCommands = ({ entries }: Run, denied?: unknown): readonly Command[] => {
  const begin = entries.findLastIndex((entry) => !isStep(entry) && entry.tone !== 'late') + 1
  const commands = new Map<string, Command>()
  for (const { parts } of entries.slice(begin).filter(isStep))
    for (const part of parts) {
      if (part.kind !== 'call' || !wasRun(part) || isIn(denied, part)) continue
      const line = lineOf(part)
      commands.delete(line)
      commands.set(line, { line, call: part })
    }
  return [...commands.values()].reverse()
}
