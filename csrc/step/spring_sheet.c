/* spring_sheet.c - positions and edges of spring nets; see spring_net.h. */
#include "step/spring_net.h"

int32_t wf_spring_sheet_edge_count(const wf_spring_sheet *sheet)
{
    int32_t c = sheet->columns, r = sheet->rows;
    return (c - 1) * r + c * (r - 1) + (c - 1) * (r - 1);
}

void wf_spring_sheet_fill(const wf_spring_sheet *sheet, wf_vec3 *positions, int32_t (*edges)[2])
{
    int32_t columns = sheet->columns, rows = sheet->rows, e = 0;
    for (int32_t j = 0; j < rows; j++) {
        for (int32_t i = 0; i < columns; i++) {
            int32_t at = j * columns + i;
            wf_vec3 p = wf_vec3_muladds(sheet->corner, sheet->along, (double)i / (columns - 1));
            positions[at] = wf_vec3_muladds(p, sheet->across, (double)j / (rows - 1));
            const int32_t step[3] = {1, columns, columns + 1};
            const bool there[3] = {i + 1 < columns, j + 1 < rows, i + 1 < columns && j + 1 < rows};
            for (int k = 0; k < 3; k++) {
                if (there[k]) {
                    edges[e][0] = at;
                    edges[e][1] = at + step[k];
                    e++;
                }
            }
        }
    }
}
