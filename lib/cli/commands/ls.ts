import { costText } from '../../core/cost-text.ts'
import { shortenedText } from '../../core/cut-text.ts'
import { definedFields } from '../../core/defined-fields.ts'
import { matchPlace } from '../../core/match-place.ts'
import { alignedRows, defineCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { filterOption, parseFilter } from '../selection.ts'
import type { Service } from '../service.ts'
import { minuteText, runDuration, taskReason } from '../task-words.ts'
import { safeLine, type Terminal } from '../terminal.ts'

const COLOURS = { completed: 'green', failed: 'red', cancelled: 'yellow', in_progress: 'cyan' } as const

const MOST_OF_TITLE = 50
const MOST_OF_REASON = 100
const MOST_OF_FOUND = 100

type Task = Awaited<ReturnType<FilterTasks>>['tasks'][number]

type Column = { head: string; cell: (task: Task) => string }

const columns: readonly Column[] = [
  { head: 'ID', cell: ({ id }) => safeLine(id) },
  { head: 'STATUS', cell: ({ status }) => safeLine(status) },
  { head: 'AGENT', cell: ({ agent }) => safeLine(agent) },
  { head: 'CREATED', cell: ({ createdAt }) => minuteText(createdAt) },
  { head: 'TIME', cell: (task) => runDuration(task, Date.now()) },
  { head: 'COST', cell: ({ cost }) => (cost ? costText(cost) : '') },
  { head: 'TITLE', cell: ({ title }) => shortenedText(safeLine(title), MOST_OF_TITLE) },
  { head: 'REASON', cell: (task) => shortenedText(taskReason(task), MOST_OF_REASON) },
]
const STATUS_COLUMN = 1

/** Where a search found a task, if not in its title. */
const foundText = ({ match }: Task): string =>
  match === undefined || match.in === 'title'
    ? ''
    : safeLine(`${matchPlace(match.in)}: ${shortenedText(match.text, MOST_OF_FOUND)}`)

const foundColumn: Column = { head: 'FOUND IN', cell: foundText }

const columnsFor = (tasks: readonly Task[]): readonly Column[] =>
  tasks.some((task) => foundText(task) !== '') ? [...columns, foundColumn] : columns

const table = (tasks: readonly Task[], paint: Terminal['paint']): string => {
  const shown = columnsFor(tasks)
  return alignedRows(
    [shown.map(({ head }) => head), ...tasks.map((task) => shown.map(({ cell }) => cell(task)))],
    (padded, at) => {
      const colour = at === STATUS_COLUMN ? COLOURS[padded.trimEnd() as keyof typeof COLOURS] : undefined
      return colour ? paint(colour, padded) : padded
    },
  )
}

type FilterTasks = Service['client']['filterTasks']

const showTasks = (
  { tasks, count, total, nextCursor }: Awaited<ReturnType<FilterTasks>>,
  { out, say, paint }: Terminal,
) => {
  out(table(tasks, paint))
  if (nextCursor) say(`${count} of ${total}. Next page: --cursor ${nextCursor}`)
}

export const ls = defineCommand({
  name: 'ls',
  usage: '[options]',
  about:
    'List tasks, newest first, with their run time, cost, and why they failed, what they wait for, or what they ask.',
  options: {
    status: {
      type: 'string',
      value: 'list',
      about: 'pending, queued, in_progress, completed, failed, cancelled',
    },
    agent: { type: 'string', value: 'list', about: 'agent types' },
    label: {
      type: 'string',
      multiple: true,
      value: 'name',
      about: 'a label; can be repeated',
    },
    repo: { type: 'string', value: 'repository', about: 'the repository, as given in the tasks' },
    search: {
      type: 'string',
      short: 's',
      about: 'words in title, prompt, error, output, id, branch or changed paths',
    },
    ...filterOption,
    limit: { type: 'string', value: '1-200', about: 'number of tasks, 20 by default' },
    cursor: { type: 'string', value: 'nextCursor', about: 'the cursor of the next page' },
  },
  words: [0, 0],
  run: async ({ values, terminal, service }) => {
    const { status, agent, label, repo, search, filter, limit = '20', cursor, json } = values
    const query = {
      ...parseFilter(filter, 'ls'),
      ...definedFields({ status, agent, labels: label?.join(','), repository: repo, q: search, cursor }),
      limit,
    }
    // The service validates the fields.
    const selected = query as NonNullable<Parameters<FilterTasks>[0]>['query'] & {}
    const answer = await service().client.filterTasks({ query: selected })
    if (json) terminal.json(answer)
    else if (answer.tasks.length === 0) terminal.say('No tasks match.')
    else showTasks(answer, terminal)
    return EXIT.done
  },
})
