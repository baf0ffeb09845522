import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Toasts } from './components/toast.tsx'
import { watchConnection } from './data/connection.ts'
import { catchUp, queryClient, watchQueries } from './data/query-client.ts'
import { router } from './router.ts'

watchConnection()
catchUp()
watchQueries()

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  )
