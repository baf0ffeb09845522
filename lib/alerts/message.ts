import type { Approval } from '../approvals/schema.ts'
import { cutText } from '../core/cut-text.ts'
import { CONTROLS } from '../core/shown-text.ts'
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
/** What systems show of a message without an unfolding. */
const LONGEST_SHOWN = 120
const MOST_LINES = 3

const HIDDEN = new RegExp(CONTROLS, 'u')

const argumentText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/**
 * The message about a call. A person may allow it there only if the message shows the whole call, as the page does: a longer
 * one, or one with hidden characters, can be denied there, and is allowed on the page.
 */
export const approvalMessage = ({ id, title, toolName, params }: Approval): AlertMessage => {
  const lines = Object.entries(params).map(([name, value]) => `${name}: ${argumentText(value)}`)
  const text = [toolName, ...lines].join('\n')
  const isWhole =
    text.length <= LONGEST_SHOWN &&
    text.split('\n').length <= MOST_LINES &&
    !HIDDEN.test(text.replaceAll('\n', ''))
  return {
    title: 'Approval needed',
    body: isWhole ? text : cutText(title, LONGEST_BODY),
    url: `/inbox?item=approval:${id}`,
    tag: id,
    approvalId: id,
    decides: isWhole ? 'allow or deny' : 'deny',
  }
}

/** The message about the end of a task. */
export const resultMessage = (
  { id, title, status, result, error }: Task,
  masked: (text: string) => string,
): AlertMessage => {
  const isCompleted = status === 'completed'
  const text = isCompleted ? (result?.output ?? '') : (error?.message ?? '')
  return {
    title: cutText(`${isCompleted ? 'Completed' : 'Failed'}: ${title}`, LONGEST_TITLE),
    body: cutText(masked(text).trim(), LONGEST_BODY),
    url: `/tasks/${encodeURIComponent(id)}`,
    tag: id,
  }
}
