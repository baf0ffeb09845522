import { costText } from '../../core/cost-text.ts'
import { definedFields } from '../../core/defined-fields.ts'
import { defineCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { filterOption, parseFilter } from '../selection.ts'
import type { Service } from '../service.ts'
import { safeLine, type Terminal } from '../terminal.ts'

const COLOURS = { completed: 'green', failed: 'red', cancelled: 'yellow', in_progress: 'cyan' } as const

type Row = readonly [id: string, status: string, agent: string, created: string, cost: string, title: string]

/** The minute in the terminal's time zone, as `logs` prints it: `2026-01-31 17:05`. */
const toMinute = (at: string): string => new Date(at).toLocaleString('sv-SE').slice(0, 16)

const HEAD: Row = ['ID', 'STATUS', 'AGENT', 'CREATED', 'COST', 'TITLE']

/** Aligns rows; colours come last, since they would count as width. */
const table = (rows: readonly Row[], paint: Terminal['paint']): string => {
  const widths = HEAD.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, at) => {
          const padded = at === HEAD.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)
          const colour = at === 1 ? COLOURS[cell as keyof typeof COLOURS] : undefined
          return colour ? paint(colour, padded) : padded
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

type FilterTasks = Service['client']['filterTasks']

const showTasks = (
  { tasks, count, total, nextCursor }: Awaited<ReturnType<FilterTasks>>,
  { out, say, paint }: Terminal,
) => {
  const rows = tasks.map(({ id, status, agent, createdAt, cost, title }): Row => {
    return [id, status, safeLine(agent), toMinute(createdAt), cost ? costText(cost) : '', safeLine(title)]
  })
  out(table([HEAD, ...rows], paint))
  if (nextCursor) say(`${count} of ${total}. More: --cursor ${nextCursor}`)
}

export const ls = defineCommand({
  name: 'ls',
  usage: '[options]',
  about: 'List tasks, newest first.',
  options: {
    status: {
      type: 'string',
      value: 'list',
      about: 'pending, queued, in_progress, completed, failed, cancelled',
    },
    agent: { type: 'string', value: 'list', about: 'types of agents' },
    label: {
      type: 'string',
      multiple: true,
      value: 'name',
      about: 'a label that they have, may be repeated',
    },
    repo: { type: 'string', value: 'repository', about: 'the repository as the tasks name it' },
    search: { type: 'string', short: 's', about: 'a text in title, description or prompt' },
    ...filterOption,
    limit: { type: 'string', value: '1-200', about: 'how many, else 20' },
    cursor: { type: 'string', value: 'nextCursor', about: 'go on where the answer before ended' },
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
    else if (answer.tasks.length === 0) terminal.say('No task fits.')
    else showTasks(answer, terminal)
    return EXIT.done
  },
})
