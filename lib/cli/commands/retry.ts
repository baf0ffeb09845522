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
  about: 'Retry ended tasks, each as a new task.',
  details: `Tasks must match all filters: --filter status=failed --filter labels=backend. They are selected once, at the start, and retried
by a bulk job of the service. The command asks for confirmation on a terminal, waits until the tasks end, and exits 1 unless all
of them complete. After Ctrl-C the job continues; cancel it with agent-tasks api cancelBulk id=<job id>. Tasks that were already
retried are skipped unless --filter retried=… is set. If no task matches, there is no job, and the exit code is 0.`,
  options: {
    ...filterOption,
    'dry-run': { type: 'boolean', about: 'count the matching tasks and change nothing' },
    yes: { type: 'boolean', short: 'y', about: 'do not ask for confirmation' },
    wait: {
      type: 'boolean',
      about: 'wait for the job to end (default); --no-wait prints its id and returns',
    },
  },
  words: [0, 1],
  run: async ({ values, words: [given], terminal, service }) => {
    const { filter, 'dry-run': isDry = false, wait = true, yes = false, json = false } = values
    if ((given === undefined) === (filter === undefined))
      throw new UsageError('A task id or --filter field=value is missing', 'retry')
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
      thing: 'task',
      ...(filters.retried === undefined ? { without: 'those already retried' } : {}),
    })
  },
})
