import { EXIT } from './exit-codes.ts'
import type { Service } from './service.ts'
import { findTaskId } from './short-id.ts'
import type { Terminal } from './terminal.ts'
import { waitForTask } from './wait-for-task.ts'

type Reply = {
  /** The id of the task, or a part of it. */
  id: string
  content: string
  wait: boolean
  json: boolean
}

/** Replies to a task, and follows the turn that the reply makes. A message that waits for the current turn has none yet. */
export const sendReply = async (
  { id: given, content, wait, json }: Reply,
  service: Service,
  terminal: Terminal,
): Promise<number> => {
  const id = await findTaskId(service, given)
  const answer = await service.client.replyToTask({ params: { id }, body: { content } })
  const { message, task } = answer
  if (task && wait) return waitForTask(task.id, service, terminal, json)
  if (json) terminal.json(answer)
  else terminal.out(task?.id ?? message.id)
  if (!task && !json) terminal.say(`The message waits for the current turn to end: agent-tasks logs -f ${id}`)
  return EXIT.done
}
