import { issueClosed, issueLabeled, issueOpened } from '../webhooks/payloads/codehost.ts'
import { signedHeaders } from '../webhooks/signed.ts'
import type { Functions } from './functions.ts'

/** Larger than what a row keeps in itself. */
const LONG = 'word '.repeat(10_000)

type Headers = Record<string, string>
type Call = (name: string, route: string) => Promise<unknown>

/** An issue of the code host that was labeled, as it comes to the function. */
export const deliver = ({ http }: Pick<Functions, 'http'>, issue: object, headers: Headers = {}) => {
  return send({ http }, issueLabeled('ai-task', { body: LONG, ...issue }), JSON.stringify(issue), headers)
}

/** An issue of the code host that is closed. */
export const close = (functions: Pick<Functions, 'http'>, number: number) =>
  send(functions, issueClosed({ number }), `closed ${number}`)

const send = ({ http }: Pick<Functions, 'http'>, payload: object, name: string, headers: Headers = {}) => {
  const body = JSON.stringify(payload)
  const delivery = { sender: 'codehost', event: 'issues', delivery: name, body } as const
  return http('webhooks', 'POST /api/webhooks/codehost', body, { ...signedHeaders(delivery), ...headers })
}

/** Issues of each urgency, one of them twice and labeled again; what came, as people are shown it. */
export const useWebhooks = async (functions: Functions, call: Call): Promise<void> => {
  const urgent = { number: 81, labels: [{ name: 'critical' }] }
  for (const issue of [{ number: 80 }, urgent, urgent, { ...urgent, updated_at: 'later' }])
    await deliver(functions, issue)
  // At once: who comes too late finds the task stored by another.
  await Promise.all(Array.from({ length: 3 }, () => deliver(functions, { number: 83 })))
  await call('webhooks', 'GET /api/integrations/webhooks/status')
  const { task } = (await deliver(functions, { number: 82 })) as { task?: { id: string } }
  await call('tasks', `POST /api/tasks/${task?.id}/cancel`)
  // The task of its issue has ended, so that another one is looked for.
  await deliver(functions, { number: 82, updated_at: 'later' })
  // Labeled, then told of as new with that label, and closed before a worker has begun.
  await deliver(functions, { number: 84 })
  await send(functions, issueOpened(['ai-task'], { number: 84 }), 'opened')
  await close(functions, 84)
}
