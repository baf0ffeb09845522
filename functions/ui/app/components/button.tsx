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

/** The looks of a button, for links that are to look like one. */
export const buttonClass = ({ kind = 'plain', size = 'normal' }: ButtonLook = {}) =>
  `inline-flex shrink-0 items-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors disabled:opacity-50 aria-disabled:opacity-50 ${kinds[kind]} ${sizes[size]}`

type Props = ComponentProps<typeof Base> &
  ButtonLook & {
    /** Why it cannot be used now. It is then disabled, and says so to the pointer and to the focus. */
    reason?: string | undefined
    /** Whether it is off while the service is away, and says so. The default is true for a button that sends a form. */
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
