import { useEffect, useRef } from 'react'
import { type KeyName, keyTable } from './key-table.ts'

type Act = (event: KeyboardEvent) => void
/** Names of the table of keys, and sequences such as `g t`. */
type Keys = Readonly<Partial<Record<KeyName | `g ${string}`, Act | undefined>>>
type Binding = { current: Keys }

const SEQUENCE_MS = 1_000

export const isTyping = ({ target }: KeyboardEvent) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'))

/** Space activates focused buttons and checkboxes. */
const isPressing = ({ key, target }: KeyboardEvent) =>
  key === ' ' && target instanceof HTMLElement && target.matches('button, input, summary, [role=button]')

/** An open dialog has its own keys. A toast has the dialog role but takes no keys. */
const isCovered = () => document.querySelector('[role=dialog]:not([data-toast])') !== null

const pressed = ({ key, metaKey, ctrlKey }: KeyboardEvent) =>
  metaKey || ctrlKey ? `Mod+${key.toLowerCase()}` : key

/** A held key goes on through rows. No other act is meant more than once. */
const repeatable: ReadonlySet<string> = new Set([keyTable.next.key, keyTable.previous.key])

const keyNamed = (name: string) => (name in keyTable ? keyTable[name as KeyName].key : name)

/** Of all components, so that the second key of a sequence is not taken for a key of its own. */
const bindings = new Set<Binding>()
let first = { key: '', at: Number.NEGATIVE_INFINITY }

const actFor = (key: string): Act | undefined => {
  for (const { current } of bindings)
    for (const [name, act] of Object.entries(current)) if (act && keyNamed(name) === key) return act
}

const isFirstOfSequence = (key: string) =>
  [...bindings].some(({ current }) => Object.keys(current).some((name) => name.startsWith(`${key} `)))

const answer = (event: KeyboardEvent) => {
  const key = pressed(event)
  if (event.altKey || event.defaultPrevented || key === 'Shift') return
  if (!key.startsWith('Mod+') && (isTyping(event) || isPressing(event) || isCovered())) return
  const isSecond = event.timeStamp - first.at < SEQUENCE_MS && isFirstOfSequence(first.key)
  const act = actFor(isSecond ? `${first.key} ${key}` : key)
  first = isSecond ? { key: '', at: 0 } : { key, at: event.timeStamp }
  if (!act) return
  event.preventDefault()
  if (!event.repeat || repeatable.has(key)) act(event)
}

/**
 * Binds keys of the table and sequences. They act outside of fields and dialogs, those with ⌘ or Ctrl everywhere. Other keys with modifiers
 * are left to the browser.
 */
export const useKeys = (keys: Keys) => {
  const latest = useRef(keys)
  useEffect(() => {
    latest.current = keys
  })
  useEffect(() => {
    if (bindings.size === 0) addEventListener('keydown', answer)
    bindings.add(latest)
    return () => {
      bindings.delete(latest)
      if (bindings.size === 0) removeEventListener('keydown', answer)
    }
  }, [])
}
