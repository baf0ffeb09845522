import { inBulk } from '../bulk.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import type { Service } from '../service.ts'
import { findDeadLetterId } from '../short-id.ts'
import { safeLine, type Terminal } from '../terminal.ts'

const PAGE = 200

const list = async ({ client }: Service, status: string, terminal: Terminal, json: boolean) => {
  const statuses = ['pending', 'resolved', 'discarded', 'all'] as const
  const chosen = statuses.find((each) => each === status)
  if (!chosen) throw new UsageError(`--status must be one of ${statuses.join(', ')}`, 'dlq')
  const page = await client.listDlq({ query: { status: chosen, limit: PAGE } })
  if (json) terminal.json(page)
  else if (page.items.length === 0) terminal.say('No dead letters.')
  for (const item of json ? [] : page.items)
    terminal.out(
      `${item.id}  ${item.taskId}  ${item.status}  ${safeLine(item.title)}: ${safeLine(item.lastError)}`,
    )
  if (!json && page.count < page.total) terminal.say(`${page.count} of ${page.total}`)
  return EXIT.done
}

export const dlq = defineCommand({
  name: 'dlq',
  usage: '[list | retry | discard] [<dead letter id> …] [options]',
  about: 'List, retry or discard dead letters.',
  details: `A retry queues the same task again with all its attempts; a discard leaves it failed. Both run as a bulk job of the service.
A retry waits until the tasks end, and exits 1 unless all of them complete. After Ctrl-C the job continues; cancel it with
agent-tasks api cancelBulk id=<job id>.`,
  options: {
    status: {
      type: 'string',
      value: 'status',
      about: 'filter the list: pending (default), resolved, discarded or all',
    },
    all: { type: 'boolean', about: 'retry or discard all pending dead letters' },
    yes: { type: 'boolean', short: 'y', about: 'do not ask for confirmation' },
    wait: {
      type: 'boolean',
      about: 'wait for the job to end (default); --no-wait prints its id and returns',
    },
  },
  words: [0, 1_000],
  run: async ({ values, words: [verb = 'list', ...given], terminal, service }) => {
    const { status = 'pending', all = false, yes = false, json = false, wait = true } = values
    if (verb === 'list' && given.length === 0) return list(service(), status, terminal, json)
    if (verb !== 'retry' && verb !== 'discard')
      throw new UsageError(`Unknown dlq command ${safeLine(verb)}. Use list, retry or discard`, 'dlq')
    if (all === given.length > 0)
      throw new UsageError(
        `A dead letter id is missing: agent-tasks dlq ${verb} <dead letter id> …, or --all`,
        'dlq',
      )
    const connected = service()
    const ids = async () => ({ ids: await Promise.all(given.map((id) => findDeadLetterId(connected, id))) })
    const selection = all ? { filter: {} } : await ids()
    const ask = (dryRun: boolean) =>
      connected.client.bulkDlq({ body: { action: verb, dryRun, ...selection } })
    return inBulk(ask, {
      service: connected,
      terminal,
      json,
      yes,
      wait,
      isNamed: !all,
      verb,
      thing: 'dead letter',
    })
  },
})
