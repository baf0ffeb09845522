import * as z from 'zod'

const LONGEST = 200

/** Where messages of every version so far name their task, by an id as tasks may have it. */
const NamesTask = z.object({
  body: z.object({ taskId: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/) }),
})

/** What a message leaves that could not be read: why, how it began, and its task where that can be made out. */
export const poisonLetter = ({ id, reason, text }: { id: string; reason: string; text: string }) => ({
  messageId: id,
  taskId: taskIn(text) ?? 'unknown',
  reason: `${reason}: ${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}`,
})

const taskIn = (text: string): string | undefined => {
  try {
    return NamesTask.safeParse(JSON.parse(text)).data?.body.taskId
  } catch {
    return undefined
  }
}
