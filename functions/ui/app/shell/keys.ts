import { useEffect, useRef } from 'react'
import { withCommand } from '../components/platform.ts'

type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** How long the second key of a sequence may take. */
const SEQUENCE_MS = 1_000

/** Whether a key is typed into something. */
export const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))

/** Whether a key presses what has the focus: Space does so with buttons and boxes. */
const isPressing = ({ key, target }: KeyboardEvent) =>
  key === ' ' && target instanceof HTMLElement && target.matches('button, input, summary, [role=button]')

/** Whether something is open over the page; then its keys are its own. A toast is a dialog by its role, and takes no keys. */
const isCovered = () => document.querySelector('[role=dialog]:not([data-toast])') !== null

/**
 * Answers single keys (`c`, `?`) and sequences (`g t`) while no field has focus and no dialog is open.
 * Keys with a modifier are the browser's.
 */
export const useKeys = (keys: Keys) => {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    let first = { key: '', at: 0 }
    const answer = (event: KeyboardEvent) => {
      if (
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isTyping(event) ||
        isPressing(event) ||
        isCovered()
      )
        return
      const isSecond = event.timeStamp - first.at < SEQUENCE_MS
      const act =
        (isSecond ? latest.current[`${first.key} ${event.key}`] : undefined) ?? latest.current[event.key]
      first = { key: event.key, at: event.timeStamp }
      if (!act || event.defaultPrevented) return
      event.preventDefault()
      act(event)
    }
    addEventListener('keydown', answer)
    return () => removeEventListener('keydown', answer)
  }, [])
}

/** What the page answers to everywhere, as the list under `?` shows it; views add their own. */
export const keyHelp: readonly (readonly [keys: string, label: string])[] = [
  [withCommand('K', ' '), 'Search and jump'],
  ['c', 'Create a task'],
  ['/', 'Search tasks'],
  ['g then a letter', 'Go to a view'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Space', 'Peek at the row'],
  ['x', 'Select the row; cancel a task'],
  ['r  e', 'Of a task: retry; edit and run again'],
  ['[  ]', 'Previous and next task of the list'],
  ['Esc', 'Close, or clear the selection'],
  ['?', 'This list'],
]
