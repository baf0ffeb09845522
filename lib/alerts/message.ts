import type { Approval } from '../approvals/schema.ts'
import { cutText } from '../core/cut-text.ts'
import { wholeCall } from '../core/whole-call.ts'
import type { Task } from '../tasks/schema.ts'

/** What a browser shows. `decides` offers to allow or deny the call in the message itself. */
export type AlertMessage = {
  title: string
  body: string
  /** A path of the page. */
  url: string
  /** A later message with the same tag replaces this one. */
  tag: string
  approvalId?: string
  decides?: 'deny' | 'allow or deny'
}

const LONGEST_TITLE = 120
const LONGEST_BODY = 300
/**
 * The message about a call. A person may allow it there only if the message shows the whole call, as the page does: a longer
 * one, or one with hidden characters, can be denied there, and is allowed on the page.
 */
export const approvalMessage = ({ id, title, toolName, params }: Approval): AlertMessage => {
  const whole = wholeCall({ toolName, params })
  return {
    title: 'Approval needed',
    body: whole ?? cutText(title, LONGEST_BODY),
    url: `/inbox?item=approval:${id}`,
    tag: id,
    approvalId: id,
    decides: whole === undefined ? 'deny' : 'allow or deny',
  }
}

/** The message about the end of a task. */
export const resultMessage = (
  { id, title, status, question, result, error }: Task,
  masked: (text: string) => string,
): AlertMessage => {
  const isCompleted = status === 'completed'
  const isAsked = question !== undefined
  const text = isCompleted ? (question?.text ?? result?.output ?? '') : (error?.message ?? '')
  const end = isCompleted ? (isAsked ? 'Question' : 'Completed') : 'Failed'
  return {
    title: cutText(`${end}: ${title}`, LONGEST_TITLE),
    body: cutText(masked(text).trim(), LONGEST_BODY),
    url: `/tasks/${encodeURIComponent(id)}`,
    tag: id,
  }
}
