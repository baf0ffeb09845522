import type { Clock } from '../ports/clock.ts'
import type { Ids } from '../ports/ids.ts'
import type { Log } from '../ports/log.ts'
import type { Store } from '../ports/store.ts'
import type { Task } from '../tasks/schema.ts'
import type { Labels } from './ask.ts'
import type { Received } from './contract.ts'
import type { WebhookTasks } from './needs.ts'
import { createReceive, type Incoming } from './receive.ts'
import { createRepair } from './repair.ts'
import type { InboundEvent } from './rows.ts'
import type { Sender } from './schema.ts'
import { createSettle } from './settle.ts'
import { createStatus } from './status.ts'

type Needs = {
  store: Store
  tasks: WebhookTasks
  clock: Clock
  ids: Ids
  log: Log
  labels: Labels
  secrets: Readonly<Record<Sender, { webhookSecret?: string | undefined }>>
}

export type Inbound = ReturnType<typeof createInbound>

/** Events of a code host and of trackers, and the tasks that they come to. */
export const createInbound = (needs: Needs) => {
  const { store, secrets } = needs
  const receiveStored = createReceive(needs)
  const settle = createSettle(needs)

  /** Takes an event: it is stored first, so that what follows is made up for should this process end before. */
  const receive = async (sender: Sender, incoming: Incoming): Promise<Received> => {
    const event = await receiveStored(sender, incoming)
    const task = await settle(event)
    return task === undefined
      ? { message: messageWithout(event) }
      : { message: messageOn(event, task), task: asked(task) }
  }

  return {
    receive,
    repair: createRepair(needs),
    status: createStatus({ store, isConfigured: (sender) => secrets[sender].webhookSecret !== undefined }),
  }
}

const messageWithout = ({ nothing }: InboundEvent) => nothing ?? 'The task of this event is no longer there'

const messageOn = ({ makes }: InboundEvent, { id }: Task) =>
  makes === id ? 'This event has made a task' : 'There is a task for this already'

/** What was asked for and how it stands. What came of it is for those who sign in: a sender shows answers to others. */
const asked = ({ result: _result, error: _error, usage: _usage, ...task }: Task) => task
