import type { ComponentProps } from 'react'
import { TextField } from './field.tsx'

type Props = Omit<ComponentProps<typeof TextField>, 'label' | 'type' | 'autoComplete'>

/** The email address of an account; password managers store it as the user name. */
export const EmailField = (props: Props) => (
  <TextField label="Email" name="email" type="email" autoComplete="username" required {...props} />
)

type PasswordProps = Omit<ComponentProps<typeof TextField>, 'label'> & { label?: string; isNew?: boolean }

export const PasswordField = ({ label = 'Password', isNew = false, ...props }: PasswordProps) => (
  <TextField
    label={label}
    name="password"
    type="password"
    autoComplete={isNew ? 'new-password' : 'current-password'}
    required
    hint={isNew ? 'At least 8 characters, with a letter and a number.' : undefined}
    {...props}
  />
)
