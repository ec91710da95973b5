// A resource in another format than JSON, saved as a file by the browser. An answer that breaks off is an error, never
// half a file.
import { send, toQueryString } from './fetch-json.ts';

interface DownloadOptions {
  /** A format that the resource offers. */
  readonly accept: string;
  readonly fileName: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** @throws UnauthorizedError on 401, ApiError for everything else that the service refuses */
export async function download(path: string, { accept, fileName, query }: DownloadOptions): Promise<void> {
  const response = await send(`/api/v1/${path}${toQueryString(query)}`, { headers: { accept } });
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}
