import { useEffect } from 'react'
import { Boundary } from '../components/boundary.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { isConnected } from '../data/connection.ts'
import { FailedOverlay } from './failed.tsx'
import { KeyHelp } from './key-help.tsx'
import { overlay } from './overlay.ts'

const Palette = lazyComponent(() => import('./palette.tsx'), 'Palette')
const CreateTask = lazyComponent(() => import('../create/create-task.tsx'), 'CreateTask')

/** Loaded after the first view, and when they are opened at the latest. */
const lazyOverlays = [Palette, CreateTask]
const SETTLED_MS = 500

/** What is open over the page. */
export const Overlays = () => {
  const open = overlay.use()
  usePreload()
  return (
    <Boundary of={open ?? 'none'} failed={FailedOverlay}>
      {open === 'palette' && <Palette />}
      {(open === 'create' || open === 'again') && <CreateTask key={open} purpose={open} />}
      {open === 'keys' && <KeyHelp />}
    </Boundary>
  )
}

/** Loads the overlays while the service is there, so that they open when it is not. */
const usePreload = () => {
  const connected = isConnected.use()
  useEffect(() => {
    if (!connected) return
    const timer = setTimeout(() => lazyOverlays.map(({ preload }) => preload?.()), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [connected])
}
