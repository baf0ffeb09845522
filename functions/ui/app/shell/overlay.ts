import { createSignal } from '../data/signal.ts'

/** What is open over the page, one thing at a time. */
export const overlay = createSignal<'create' | 'again' | 'palette' | 'keys' | 'menu' | undefined>(undefined)
export const closeOverlay = () => overlay.set(undefined)
