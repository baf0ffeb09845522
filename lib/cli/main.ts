import { ApiError } from '../api/api-error.ts'
import { VERSION } from '../version.ts'
import { type Command, columns, commandHelp, parseCommandLine, type StartRunner } from './command.ts'
import { api } from './commands/api.ts'
import { approve } from './commands/approve.ts'
import { cancel } from './commands/cancel.ts'
import { chat } from './commands/chat.ts'
import { diff } from './commands/diff.ts'
import { dlq } from './commands/dlq.ts'
import { importTasks } from './commands/import.ts'
import { login } from './commands/login.ts'
import { logs } from './commands/logs.ts'
import { ls } from './commands/ls.ts'
import { open } from './commands/open.ts'
import { reply } from './commands/reply.ts'
import { retry } from './commands/retry.ts'
import { run } from './commands/run.ts'
import { runner } from './commands/runner.ts'
import { schedule } from './commands/schedule.ts'
import type { Environment } from './credentials.ts'
import { AmbiguousId, EXIT, UsageError } from './exit-codes.ts'
import { connectTo, isCutOff, isWrongServer } from './service.ts'
import { type StartService, startAndOpen } from './start.ts'
import { createTerminal, type Streams, safeLine, type Terminal } from './terminal.ts'

export const commands: readonly Command[] = [
  run,
  reply,
  ls,
  logs,
  diff,
  cancel,
  retry,
  approve,
  chat,
  schedule,
  dlq,
  importTasks,
  open,
  login,
  runner,
  api,
]

const overview = () =>
  [
    'Usage: agent-tasks <command> [options]',
    '       agent-tasks: on a terminal, starts the service if needed and opens its page',
    '',
    'Commands:',
    columns(commands.map(({ name, about }) => [name, about])),
    '',
    'agent-tasks <command> --help describes a command. --version prints the version.',
    'The service is at AGENT_TASKS_URL, or http://127.0.0.1:3000 if not set.',
    'Exit codes: 0 done, 1 failed or rejected, 2 cancelled, 3 the service cannot be reached or another server responds, 64 wrong command line or ambiguous id.',
  ].join('\n')

const findCommand = (name: string): Command => {
  const command = commands.find((each) => each.name === name)
  if (command) return command
  throw new UsageError(
    `Unknown command ${safeLine(name)}. Commands: ${commands.map((command) => command.name).join(', ')}`,
  )
}

type Start = {
  args: readonly string[]
  env: Environment
  streams: Streams
  /** Absent in a program that has no part of the service. */
  startRunner?: StartRunner
  startService?: StartService
}

const noRunner: StartRunner = async () => {
  throw new UsageError('This build cannot run tasks', 'runner')
}

/** Runs the command line and resolves to the exit code. Never throws. */
export const main = async (start: Start): Promise<number> => {
  const { args, env, streams, startRunner = noRunner, startService } = start
  const terminal = createTerminal(streams, env)
  try {
    if (args.length === 0 && startService !== undefined && terminal.isInteractive)
      return await startAndOpen({ env, terminal, startService })
    return await dispatch(args, env, terminal, startRunner)
  } catch (error) {
    return fail(error, terminal, args.includes('--json'))
  }
}

/** The text of a command line that asks for a text only. */
const textFor = ([name, topic]: readonly string[]): string | undefined => {
  if (name === undefined || name === '--help' || name === '-h') return overview()
  if (name === '--version') return VERSION
  if (name !== 'help') return undefined
  return topic === undefined ? overview() : commandHelp(findCommand(topic))
}

const dispatch = async (
  args: readonly string[],
  env: Environment,
  terminal: Terminal,
  startRunner: StartRunner,
): Promise<number> => {
  const text = textFor(args)
  const [name = '', ...rest] = args
  if (text !== undefined) {
    terminal.out(text)
    return name === '' ? EXIT.usage : EXIT.done
  }
  const command = findCommand(name)
  const { values, words } = parseCommandLine(command, rest)
  if (!values.help)
    return (
      (await command.run({ values, words, env, terminal, startRunner, service: () => connectTo(env) })) ??
      EXIT.done
    )
  const help = (await command.help?.({ words })) ?? commandHelp(command)
  if (values.json) terminal.json({ help })
  else terminal.out(help)
  return EXIT.done
}

const errorAdvice = (error: unknown): string => {
  if (!(error instanceof ApiError)) return ''
  if (error.status === 401) return 'Sign in: agent-tasks login'
  if (error.code.startsWith('http_')) return 'Check that AGENT_TASKS_URL is the address of the service.'
  return error.requestId === undefined || error.status < 500
    ? ''
    : `Request id in the service log: ${error.requestId}`
}

const fail = (error: unknown, terminal: Terminal, json: boolean): number => {
  const message = safeLine(error instanceof Error ? error.message : String(error))
  const advice = errorAdvice(error)
  const code = errorCode(error)
  const candidates = error instanceof AmbiguousId ? error.candidates : []
  if (json) terminal.json({ error: message, code, ...(candidates.length > 0 && { candidates }) })
  const more =
    error instanceof UsageError ? `\nHelp: agent-tasks ${error.command ?? ''} --help`.replace('  ', ' ') : ''
  terminal.say(`${advice === '' ? message : `${message.replace(/\.?$/, '.')} ${advice}`}${more}`)
  for (const candidate of candidates) terminal.say(`  ${candidate}`)
  if (error instanceof UsageError || error instanceof AmbiguousId) return EXIT.usage
  return isCutOff(error) || isWrongServer(error) ? EXIT.unreachable : EXIT.failed
}

const errorCode = (error: unknown): string => {
  if (error instanceof UsageError) return 'usage'
  if (error instanceof ApiError || error instanceof AmbiguousId) return error.code
  if (isWrongServer(error)) return 'wrong_server'
  return isCutOff(error) ? 'unreachable' : 'failed'
}
