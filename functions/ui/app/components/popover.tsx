import { Popover as Base } from '@base-ui/react/popover'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { WifiOff } from 'lucide-react'
import { cloneElement, useState } from 'react'
import { Boundary, useRecovery } from './boundary.tsx'
import { Button } from './button.tsx'
import { lazyComponent } from './lazy.tsx'
import type { PopoverProps } from './popover-panel.tsx'

/** The code that places a panel beside its button is a tenth of the first load, which is therefore without it. */
export const PopoverPanel = lazyComponent(() => import('./popover-panel.tsx'), 'PopoverPanel')

/** A panel that hangs on the button that opens it. Until it is first opened there is the button alone. */
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

/** In place of the button when the code did not come. */
const NotLoadedYet = (props: ErrorComponentProps) => {
  useRecovery(props)
  return (
    <Button
      kind="ghost"
      size="icon"
      aria-label="Not loaded yet"
      reason="It comes as soon as the service answers."
    >
      <WifiOff size={16} />
    </Button>
  )
}

/** Closes the panel that it is in. */
export const PopoverClose = Base.Close
