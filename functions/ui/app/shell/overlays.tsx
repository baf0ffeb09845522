import { lazy, Suspense } from 'react'
import { KeyHelp } from './key-help.tsx'
import { overlay } from './overlay.ts'

// Loaded when they are first opened.
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }))
const CreateTask = lazy(async () => ({ default: (await import('../create/create-task.tsx')).CreateTask }))

/** What is open over the page. */
export const Overlays = () => {
  const open = overlay.use()
  return (
    <Suspense>
      {open === 'palette' && <Palette />}
      {open === 'create' && <CreateTask />}
      {open === 'keys' && <KeyHelp />}
    </Suspense>
  )
}
