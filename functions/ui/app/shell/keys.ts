import { useEffect, useRef } from 'react'
import { withCommand } from '../components/platform.ts'

type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>

const SEQUENCE_MS = 1_000

export const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))

/** Space activates focused buttons and checkboxes. */
const isPressing = ({ key, target }: KeyboardEvent) =>
  key === ' ' && target instanceof HTMLElement && target.matches('button, input, summary, [role=button]')

/** An open dialog has its own keys. A toast has the dialog role but takes no keys. */
const isCovered = () => document.querySelector('[role=dialog]:not([data-toast])') !== null

/** Handles keys (`c`) and sequences (`g t`) outside of fields and dialogs. Keys with modifiers are left to the browser. */
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

/** The global keys, as listed under `?`. */
export const keyHelp: readonly (readonly [keys: string, label: string])[] = [
  [withCommand('K', ' '), 'Search and jump'],
  ['c', 'Create task'],
  ['/', 'Search tasks'],
  ['g then a letter', 'Go to a view'],
  ['j  k', 'Next and previous row'],
  ['Enter', 'Open the row'],
  ['Space', 'Peek at the row'],
  ['x', 'Select the row; cancel a task'],
  ['e  s', 'In the inbox: done, snooze'],
  ['r  e  m', 'Of a task: retry; edit and run again; reply'],
  ['t  f', 'Of a task: trace; list of changed files'],
  ['[  ]', 'Previous and next task of the list'],
  ['Esc', 'Close, or clear the selection'],
  ['?', 'This list'],
]
