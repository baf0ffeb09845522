import { useState } from 'react'
import { useRemembered } from './remembered.ts'

const none: ReadonlySet<string> = new Set()

/** The rows of a list that are selected; Back finds them selected still. */
export const useSelected = () => {
  const memory = useRemembered('selected', none)
  const [selected, set] = useState(memory.read)
  const onSelect = (next: ReadonlySet<string>) => {
    memory.write(next)
    set(next)
  }
  return { selected, onSelect, clear: () => onSelect(none) }
}
