import { connect, eventsIn } from 'agent-task-client'

// What changes, as it changes, until the stream ends: node examples/live-events.ts
const client = connect({ baseUrl: process.env.AGENT_TASKS_URL ?? 'http://127.0.0.1:3000' })

const { body } = await client.followEvents.raw()
if (body === null) throw new Error('The answer is no stream')
for await (const events of eventsIn(body))
  for (const { data } of events) {
    const { type, data: row } = JSON.parse(data)
    console.log(type, row.id ?? '', row.status ?? '')
  }
