import { inBulk } from '../bulk.ts'
import { defineCommand } from '../command.ts'
import { EXIT, UsageError } from '../exit-codes.ts'
import { filterOption, parseFilter } from '../selection.ts'
import type { Service } from '../service.ts'
import { findTaskId } from '../short-id.ts'

type BulkFilter = Extract<Parameters<Service['client']['bulkTasks']>[0], object>['body']['filter']

export const retry = defineCommand({
  name: 'retry',
  usage: '<task id> | --filter field=value …',
  about: 'Run tasks that have ended again, each as a new task.',
  details: `Several filters have to fit all: --filter status=failed --filter labels=backend. The tasks are chosen once, when it
begins, and retried by a job of the service. It waits until they have ended, and exits 1 unless all have completed. After
Ctrl-C the job goes on; agent-tasks api cancelBulk id=<job id> stops it. Those that were retried already are left out, unless
--filter retried=… says otherwise. On a terminal it asks first. Where nothing matches there is no job, and it exits 0.`,
  options: {
    ...filterOption,
    'dry-run': { type: 'boolean', about: 'count what the filter finds, and change nothing' },
    yes: { type: 'boolean', short: 'y', about: 'do not ask' },
    wait: {
      type: 'boolean',
      about: 'wait for the end of the job, as is the default; --no-wait prints its id and returns',
    },
  },
  words: [0, 1],
  run: async ({ values, words: [given], terminal, service }) => {
    const { filter, 'dry-run': isDry = false, wait = true, yes = false, json = false } = values
    if ((given === undefined) === (filter === undefined))
      throw new UsageError('Say which: a task id, or --filter field=value', 'retry')
    const connected = service()
    if (given !== undefined) {
      const id = await findTaskId(connected, given)
      const answer = await connected.client.retryTask({ params: { id } })
      if (json) terminal.json(answer)
      else terminal.out(answer.task.id)
      return EXIT.done
    }
    const filters = parseFilter(filter, 'retry')
    // The service validates the fields.
    const selection = { retried: 'false', ...filters } as BulkFilter
    const ask = (dryRun: boolean) =>
      connected.client.bulkTasks({ body: { action: 'retry', filter: selection, dryRun } })
    return inBulk(ask, {
      service: connected,
      terminal,
      json,
      yes,
      isDry,
      wait,
      verb: 'retry',
      things: 'tasks',
      ...(filters.retried === undefined ? { without: 'those that were retried already' } : {}),
    })
  },
})
