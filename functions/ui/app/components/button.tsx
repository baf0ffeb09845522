import { Button as Base } from '@base-ui/react/button'
import type { ComponentProps } from 'react'
import { useAway } from '../data/connection.ts'

const kinds = {
  primary: 'bg-primary text-primary-foreground hover:opacity-90',
  plain: 'border bg-card hover:bg-accent',
  ghost: 'text-muted-foreground hover:bg-accent hover:text-foreground',
  danger: 'border text-destructive bg-card hover:bg-accent',
} as const

const sizes = { normal: 'h-8 px-3', small: 'h-7 px-2', icon: 'size-8 justify-center' } as const

export type ButtonLook = { kind?: keyof typeof kinds; size?: keyof typeof sizes }

/** For links that look like a button. */
export const buttonClass = ({ kind = 'plain', size = 'normal' }: ButtonLook = {}) =>
  `inline-flex shrink-0 items-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-disabled:opacity-50 ${kinds[kind]} ${sizes[size]}`

/** For links that switch what one view shows. */
export const switchLinkClass =
  'inline-flex h-7 items-center rounded-md px-2 text-muted-foreground hover:bg-accent hover:text-foreground aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground'

type Props = ComponentProps<typeof Base> &
  ButtonLook & {
    /** Disables the button; shown as its title, and the button stays focusable. */
    reason?: string | undefined
    /** Disables the button while the service is unreachable. Defaults to true for submit buttons. */
    needsService?: boolean
  }

export const Button = ({
  kind = 'plain',
  size = 'normal',
  className = '',
  type,
  needsService = type === 'submit',
  reason: ownReason,
  disabled = false,
  title,
  ...rest
}: Props) => {
  const away = useAway()
  const reason = ownReason ?? (needsService ? away : undefined)
  return (
    <Base
      {...rest}
      {...(type && { type })}
      className={`${buttonClass({ kind, size })} ${className}`}
      disabled={disabled || reason !== undefined}
      focusableWhenDisabled={reason !== undefined}
      title={reason ?? title}
    />
  )
}
