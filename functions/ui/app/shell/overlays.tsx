import { type Query, useIsFetching } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Boundary } from '../components/boundary.tsx'
import { lazyComponent } from '../components/lazy.tsx'
import { PopoverPanel } from '../components/popover.tsx'
import { isConnected } from '../data/connection.ts'
import { FailedOverlay } from './failed.tsx'
import { KeyHelp } from './key-help.tsx'
import { overlay } from './overlay.ts'

const Palette = lazyComponent(() => import('./palette.tsx'), 'Palette')
const CreateTask = lazyComponent(() => import('../create/create-task.tsx'), 'CreateTask')

/** Preloaded after the first view. */
const openedLater = [Palette, CreateTask, PopoverPanel]
const SETTLED_MS = 500

export const Overlays = () => {
  const open = overlay.use()
  usePreload()
  return (
    <Boundary resetKey={open ?? 'none'} failed={FailedOverlay}>
      {open === 'palette' && <Palette />}
      {(open === 'create' || open === 'again') && <CreateTask key={open} purpose={open} />}
      {open === 'keys' && <KeyHelp />}
    </Boundary>
  )
}

const hasNoAnswer = ({ state }: Query) => state.data === undefined

const useIsComing = () => {
  const isViewComing = useRouterState({ select: ({ status }) => status === 'pending' })
  const asked = useIsFetching({ predicate: hasNoAnswer })
  return isViewComing || asked > 0
}

/** Preloads overlays, so that they open when the service is unreachable. */
const usePreload = () => {
  const connected = isConnected.use()
  const isComing = useIsComing()
  useEffect(() => {
    if (!connected || isComing) return
    const timer = setTimeout(() => openedLater.map(({ preload }) => preload?.()), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [connected, isComing])
}
