import { cutText } from '../../core/cut-text.ts'
import { alignedRows, defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import { newTask, taskOptions } from '../new-task.ts'
import type { Service } from '../service.ts'
import { findScheduleId } from '../short-id.ts'
import { minuteText } from '../task-words.ts'
import { safeLine, type Terminal } from '../terminal.ts'

const PAGE = 200
const VERBS = ['ls', 'add', 'run', 'pause', 'resume', 'rm'] as const
type Verb = (typeof VERBS)[number]

type Listed = Awaited<ReturnType<Service['client']['listSchedules']>>['schedules'][number]
type OnSchedule = { id: string; service: Service; terminal: Terminal; json: boolean; yes: boolean }

const HEAD = ['ID', 'NEXT', 'CRON', 'ZONE', 'NAME', 'LAST']

const toRow = ({ id, name, cron, timezone, nextRunAt, lastTaskId, lastError }: Listed): string[] => [
  safeLine(id),
  nextRunAt === undefined ? 'paused' : minuteText(nextRunAt),
  safeLine(cron),
  safeLine(timezone),
  safeLine(name),
  safeLine(lastError?.message ?? lastTaskId ?? ''),
]

const list = async ({ client }: Service, terminal: Terminal, json: boolean) => {
  const page = await client.listSchedules({ query: { limit: PAGE } })
  if (json) terminal.json(page)
  else if (page.schedules.length === 0) terminal.say('No schedules.')
  else terminal.out(alignedRows([HEAD, ...page.schedules.map(toRow)]))
  if (!json && page.count < page.total) terminal.say(`${page.count} of ${page.total}`)
  return EXIT.done
}

const switched =
  (enabled: boolean) =>
  async ({ id, service, terminal, json }: OnSchedule) => {
    const answer = await service.client.changeSchedule({ params: { id }, body: { enabled } })
    const { name, nextRunAt } = answer.schedule
    const state = nextRunAt === undefined ? 'is paused' : `runs next at ${minuteText(nextRunAt)}`
    if (json) terminal.json(answer)
    else terminal.out(`${safeLine(name)} ${state}`)
    return EXIT.done
  }

const createNow = async ({ id, service, terminal, json }: OnSchedule) => {
  const answer = await service.client.runSchedule({ params: { id } })
  if (json) terminal.json(answer)
  else terminal.out(answer.task.id)
  return EXIT.done
}

const remove = async ({ id, service, terminal, json, yes }: OnSchedule) => {
  const mayAsk = !yes && !json && terminal.isInteractive
  if (mayAsk) {
    const { schedule } = await service.client.getSchedule({ params: { id } })
    if (!(await terminal.confirm(`Delete the schedule ${schedule.name}?`))) return EXIT.cancelled
  }
  const answer = await service.client.deleteSchedule({ params: { id } })
  if (json) terminal.json(answer)
  else terminal.out(`${id} is deleted`)
  return EXIT.done
}

const verbs: Readonly<Record<Exclude<Verb, 'ls' | 'add'>, (on: OnSchedule) => Promise<number>>> = {
  run: createNow,
  pause: switched(false),
  resume: switched(true),
  rm: remove,
}

export const schedule = defineCommand({
  name: 'schedule',
  usage: '[ls | add "<prompt>" --cron <pattern> | run | pause | resume | rm] [<schedule id>] [options]',
  about: 'List schedules; add, run, pause, resume or delete one.',
  details: `A pattern has five fields, as in cron(5), or is @hourly, @daily, @weekly, @monthly or @yearly. The task has the options of
agent-tasks run. Use - as the prompt to read it from standard input.`,
  options: {
    cron: { type: 'string', value: 'pattern', about: 'the pattern, such as "0 7 * * 1-5"' },
    timezone: {
      type: 'string',
      value: 'zone',
      about: 'the time zone, such as Europe/Vienna; that of this machine if not set',
    },
    name: { type: 'string', about: 'the name of the schedule; the title of its task if not set' },
    ...taskOptions,
    yes: { type: 'boolean', short: 'y', about: 'do not ask for confirmation' },
  },
  words: [0, 2],
  run: async ({ values, words: [word = 'ls', given], terminal, service }) => {
    const { json = false, yes = false, cron, timezone, name, ...options } = values
    const verb = VERBS.find((each) => each === word)
    if (verb === undefined)
      throw new UsageError(`Unknown schedule command ${safeLine(word)}. Use ${VERBS.join(', ')}`, 'schedule')
    refuseUnused(verb, { cron, timezone, name, ...options })
    if (verb === 'ls') {
      if (given !== undefined) throw new UsageError('schedule ls does not take an id', 'schedule')
      return list(service(), terminal, json)
    }
    if (given === undefined)
      throw new UsageError(`An argument is missing: agent-tasks schedule ${verb} ${NEEDS[verb]}`, 'schedule')
    if (verb !== 'add') {
      const connected = service()
      const id = await findScheduleId(connected, given)
      return verbs[verb]({ id, service: connected, terminal, json, yes })
    }
    if (cron === undefined) throw new UsageError('A schedule needs --cron, such as "0 7 * * 1-5"', 'schedule')
    const prompt = given === '-' ? await terminal.input() : given
    if (prompt.trim() === '') throw new UsageError('The prompt is empty', 'schedule')
    const task = newTask(prompt, options, 'schedule')
    const zone = timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone
    const body = { name: name ?? scheduleName(task.title), cron, task, timezone: zone }
    const answer = await service().client.createSchedule({ body })
    const { id, nextRunAt } = answer.schedule
    if (json) terminal.json(answer)
    else terminal.out(id)
    if (!json && nextRunAt !== undefined) terminal.say(`Next run: ${minuteText(nextRunAt)}`)
    return EXIT.done
  },
})

const NEEDS: Readonly<Record<Exclude<Verb, 'ls'>, string>> = {
  add: '"<prompt>"',
  run: '<schedule id>',
  pause: '<schedule id>',
  resume: '<schedule id>',
  rm: '<schedule id>',
}

const MOST_OF_NAME = 100

const scheduleName = (title: string): string => safeLine(cutText(title, MOST_OF_NAME))

const refuseUnused = (verb: Verb, options: Readonly<Record<string, unknown>>): void => {
  const [name] = Object.entries(options).find(([, value]) => value !== undefined) ?? []
  if (verb !== 'add' && name !== undefined)
    throw new UsageError(`schedule ${verb} does not take --${name}`, 'schedule')
}
