import { createSignal } from '../data/signal.ts'

export const overlay = createSignal<'create' | 'again' | 'palette' | 'keys' | 'menu' | undefined>(undefined)
export const closeOverlay = () => overlay.set(undefined)

/** Opens the form of a new task; on the first page it is there already. */
export const openCreate = () => {
  const prompt = location.pathname === '/' ? document.querySelector<HTMLElement>('main [name=prompt]') : null
  if (prompt) prompt.focus()
  else overlay.set('create')
}
