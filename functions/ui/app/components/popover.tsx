import { Popover as Base } from '@base-ui/react/popover'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { WifiOff } from 'lucide-react'
import { cloneElement, useState } from 'react'
import { Boundary, useRecovery } from './boundary.tsx'
import { Button } from './button.tsx'
import { lazyComponent } from './lazy.tsx'
import type { PopoverProps } from './popover-panel.tsx'

/** Positioning code is a tenth of the first load, so it is loaded later. */
export const PopoverPanel = lazyComponent(() => import('./popover-panel.tsx'), 'PopoverPanel')

/** Only the button exists until the first click. */
export const Popover = (props: PopoverProps) => {
  const [wasOpened, setOpened] = useState(false)
  const { label, trigger } = props
  if (!wasOpened)
    return cloneElement(trigger, {
      'aria-haspopup': 'dialog',
      'aria-expanded': false,
      onClick: () => setOpened(true),
    })
  return (
    <Boundary resetKey={label} failed={NotLoadedYet} loading={trigger}>
      <PopoverPanel {...props} />
    </Boundary>
  )
}

const NotLoadedYet = (props: ErrorComponentProps) => {
  useRecovery(props)
  return (
    <Button
      kind="ghost"
      size="icon"
      aria-label="Not loaded yet"
      reason="It loads as soon as the service responds."
    >
      <WifiOff size={16} />
    </Button>
  )
}

export const PopoverClose = Base.Close
