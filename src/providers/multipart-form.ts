import { getMultipartBoundary, type MultipartPart, parseMultipart } from '@remix-run/multipart-parser';
import { oncePer } from '../shared/once-per.ts';
import type { InboundRequest } from './inbound-request.ts';

/** Ids, names and signatures are shorter. Longer fields hold texts and files, which the gateway does not read. */
const maxValueBytes = 4096;

/**
 * 1 MiB of parts with long headers takes 0.3 s to read (measured), and anyone can send it. Mailgun's forms have about
 * 30 fields and one part for each attached file, with the file name in its header.
 */
const maxParts = 200;
const maxHeaderBytes = 2048;

/** The header `form-data; name="…"` of a field is far shorter, and parsing a long one is the slowest step. */
const maxFieldHeader = 200;

/** RFC 2046, section 5.1.1 */
const maxBoundaryLength = 70;

/**
 * The short text fields of a form with files (`multipart/form-data`, RFC 7578). Null when the body is another type,
 * truncated or otherwise malformed, or has over 200 parts.
 */
export const multipartForm = oncePer((request: InboundRequest): URLSearchParams | null => {
  const contentType = request.header('content-type') ?? '';
  if (!/^\s*multipart\/form-data\s*;/i.test(contentType)) return null;
  const boundary = getMultipartBoundary(contentType)?.trim() ?? '';
  if (boundary === '' || boundary.length > maxBoundaryLength) return null;
  const form = new URLSearchParams();
  try {
    const limits = { maxParts, maxHeaderSize: maxHeaderBytes, maxFileSize: request.body.length };
    for (const part of parseMultipart(request.body, { boundary, ...limits })) {
      if (part.size > maxValueBytes) continue;
      const name = nameOf(part);
      if (name !== null) form.append(name, new TextDecoder().decode(part.bytes));
    }
    return form;
  } catch {
    return null;
  }
});

/** The name of a text field. Null for files, and for parts whose headers cannot be read or are too long for a field. */
function nameOf(part: MultipartPart): string | null {
  try {
    const { 'content-disposition': disposition = '', 'content-type': type = '' } = part.headers;
    if (disposition.length > maxFieldHeader || type.length > maxFieldHeader) return null;
    return part.isText ? (part.name ?? null) : null;
  } catch {
    return null;
  }
}
